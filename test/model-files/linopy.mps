NAME        
OBJSENSE
  MAX
ROWS
 N  Obj     
 G  c0      
 L  c1      
 L  c2      
 E  c3      
 G  c4      
COLUMNS
    MARK0000  'MARKER'                 'INTORG'
    x0        Obj       3
    x0        c0        1
    x0        c1        1
    x0        c2        2
    MARK0001  'MARKER'                 'INTEND'
    x1        Obj       5
    x1        c0        2.5
    x1        c1        2.5
    x1        c2        1
    x1        c3        1
    MARK0002  'MARKER'                 'INTORG'
    x2        Obj       20
    x2        c2        15
    MARK0003  'MARKER'                 'INTEND'
    x3        Obj       -1.25
    x3        c3        -1
    x4        Obj       2
    x4        c4        -3
    MARK0004  'MARKER'                 'INTORG'
    x5        Obj       -1
    x5        c0        1
    x5        c1        1
    x5        c4        1
    MARK0005  'MARKER'                 'INTEND'
RHS
    RHS_V     c0        12
    RHS_V     c1        90
    RHS_V     c2        60
    RHS_V     c3        3.5
    RHS_V     c4        4
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
