NAME        
OBJSENSE
  MAX
ROWS
 N  Obj     
 L  r0      
 L  r1      
 E  r2      
 G  r3      
COLUMNS
    MARK0000  'MARKER'                 'INTORG'
    x0        Obj       3
    x0        r0        1
    x0        r1        2
    MARK0001  'MARKER'                 'INTEND'
    x1        Obj       5
    x1        r0        2.5
    x1        r1        1
    x1        r2        1
    MARK0002  'MARKER'                 'INTORG'
    x2        Obj       20
    x2        r1        15
    MARK0003  'MARKER'                 'INTEND'
    x3        Obj       -1.25
    x3        r2        -1
    x4        Obj       2
    x4        r3        -3
    MARK0004  'MARKER'                 'INTORG'
    x5        Obj       -1
    x5        r0        1
    x5        r3        1
    MARK0005  'MARKER'                 'INTEND'
RHS
    RHS_V     Obj       -7
    RHS_V     r0        90
    RHS_V     r1        60
    RHS_V     r2        3.5
    RHS_V     r3        4
RANGES
    RANGE     r0        78
BOUNDS
 LI BOUND     x0        0
 UP BOUND     x1        40
 BV BOUND     x2      
 FR BOUND     x3      
 LO BOUND     x4        -8
 UP BOUND     x4        -2
 LI BOUND     x5        2
 UI BOUND     x5        9
ENDATA
