*SENSE:Maximize
NAME          rnd
ROWS
 N  OBJ
 G  r_0_lo
 L  r_0_up
 L  r_1_up
 E  r_2
 G  r_3_lo
COLUMNS
    MARK      'MARKER'                 'INTORG'
    x_0       r_0_lo     1.000000000000e+00
    x_0       r_0_up     1.000000000000e+00
    x_0       r_1_up     2.000000000000e+00
    x_0       OBJ        3.000000000000e+00
    MARK      'MARKER'                 'INTEND'
    x_1       r_0_lo     2.500000000000e+00
    x_1       r_0_up     2.500000000000e+00
    x_1       r_1_up     1.000000000000e+00
    x_1       r_2        1.000000000000e+00
    x_1       OBJ        5.000000000000e+00
    MARK      'MARKER'                 'INTORG'
    x_2       r_1_up     1.500000000000e+01
    x_2       OBJ        2.000000000000e+01
    MARK      'MARKER'                 'INTEND'
    x_3       r_2       -1.000000000000e+00
    x_3       OBJ       -1.250000000000e+00
    x_4       r_3_lo    -3.000000000000e+00
    x_4       OBJ        2.000000000000e+00
    MARK      'MARKER'                 'INTORG'
    x_5       r_0_lo     1.000000000000e+00
    x_5       r_0_up     1.000000000000e+00
    x_5       r_3_lo     1.000000000000e+00
    x_5       OBJ       -1.000000000000e+00
    MARK      'MARKER'                 'INTEND'
RHS
    RHS       r_0_lo     1.200000000000e+01
    RHS       r_0_up     9.000000000000e+01
    RHS       r_1_up     6.000000000000e+01
    RHS       r_2        3.500000000000e+00
    RHS       r_3_lo     4.000000000000e+00
BOUNDS
 LO BND       x_0        0.000000000000e+00
 UP BND       x_1        4.000000000000e+01
 BV BND       x_2     
 FR BND       x_3     
 LO BND       x_4       -8.000000000000e+00
 UP BND       x_4       -2.000000000000e+00
 LO BND       x_5        2.000000000000e+00
 UP BND       x_5        9.000000000000e+00
ENDATA
